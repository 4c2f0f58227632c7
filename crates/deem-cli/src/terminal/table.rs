//! Tables in box-drawing characters.

use super::{width, wrap};

/// A column is not made narrower than this, even where the table gets wider than the terminal.
const COLUMN_MIN: usize = 6;

/// Draws a header row and rows; cells are plain, one-line texts. Wider than `columns_max`, the
/// widest columns are wrapped first.
pub fn table(header: &[String], rows: &[Vec<String>], columns_max: Option<usize>) -> String {
    let widths = widths(header, rows, columns_max);
    let rule = |left: &str, middle: &str, right: &str| {
        let parts: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        format!("{left}{}{right}\n", parts.join(middle))
    };
    let mut drawn = rule("┌", "┬", "┐");
    drawn.push_str(&draw_row(header, &widths));
    drawn.push_str(&rule("├", "┼", "┤"));
    for row in rows {
        drawn.push_str(&draw_row(row, &widths));
    }
    drawn.push_str(&rule("└", "┴", "┘"));
    drawn
}

fn widths(header: &[String], rows: &[Vec<String>], columns_max: Option<usize>) -> Vec<usize> {
    let mut widths: Vec<usize> = header.iter().map(|cell| width(cell)).collect();
    for row in rows {
        for (column, cell) in widths.iter_mut().zip(row) {
            *column = (*column).max(width(cell));
        }
    }
    let frame = 3 * widths.len() + 1;
    let room = columns_max.map_or(usize::MAX, |max| max.saturating_sub(frame));
    while widths.iter().sum::<usize>() > room {
        match widths.iter_mut().max() {
            Some(widest) if *widest > COLUMN_MIN => *widest -= 1,
            _ => break,
        }
    }
    widths
}

fn draw_row(cells: &[String], widths: &[usize]) -> String {
    let wrapped: Vec<Vec<String>> = widths
        .iter()
        .enumerate()
        .map(|(column, width)| wrap(cells.get(column).map_or("", String::as_str), *width))
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let mut drawn = String::new();
    for line in 0..height {
        drawn.push('│');
        for (cell, columns) in wrapped.iter().zip(widths) {
            let text = cell.get(line).map_or("", String::as_str);
            let padding = columns.saturating_sub(width(text));
            drawn.push_str(&format!(" {text}{} │", " ".repeat(padding)));
        }
        drawn.push('\n');
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<String> {
        cells.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn draws_wide_characters_in_straight_columns() {
        let drawn = table(
            &row(&["", "価格", "Room"]),
            &[row(&["Barn", "yes", ""]), row(&["図書館", "partly", "no"])],
            None,
        );
        let wanted = "\
┌────────┬────────┬──────┐
│        │ 価格   │ Room │
├────────┼────────┼──────┤
│ Barn   │ yes    │      │
│ 図書館 │ partly │ no   │
└────────┴────────┴──────┘
";
        assert_eq!(drawn, wanted);
    }

    #[test]
    fn wraps_the_widest_column_to_fit() {
        let drawn = table(
            &row(&["", "Price"]),
            &[row(&["A barn by the lake", "yes"])],
            Some(24),
        );
        assert!(drawn.lines().all(|line| width(line) == 24), "{drawn}");
        assert!(drawn.contains("│ A barn by    │"), "{drawn}");
        assert!(drawn.contains("│ the lake     │"), "{drawn}");
    }

    #[test]
    fn never_loses_a_cell_in_a_narrow_terminal() {
        let drawn = table(
            &row(&["option", "criterion"]),
            &[row(&["abcdefgh", "partly"])],
            Some(3),
        );
        assert!(drawn.contains("abcdef") && drawn.contains("gh") && drawn.contains("partly"));
    }
}
