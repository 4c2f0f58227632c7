import { useDecision, useDraft, useMark, usePresence } from "deem/react";

/** What the host makes of a decision by hooks alone: its own way to mark, beside the card. */
export function Summary({ decision }: { decision: string }) {
  const { snapshot } = useDecision(decision);
  const [draft, edits] = useDraft(decision);
  const here = usePresence(decision);
  if (!snapshot) return null;
  const chosen = snapshot.rows.find((row) => row.id === draft?.single);
  const others = new Set(here.filter((one) => !one.self).map((one) => one.name || one.person));
  return (
    <aside aria-label="By hooks">
      <p>
        {draft?.mode === "custom" ? "In own words" : `Chosen: ${chosen?.label ?? "nothing yet"}`}
        {others.size > 0 && `. Also here: ${[...others].join(", ")}`}
      </p>
      <ul>
        {snapshot.rows.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              disabled={!snapshot.editable}
              aria-pressed={row.id === draft?.single}
              onClick={() => edits.choose(row.id === draft?.single ? null : row.id)}
            >
              {row.label}
            </button>
            {snapshot.columns.map((column) => (
              <Cell key={column.id} decision={decision} option={row.id} criterion={column.id} label={column.label} />
            ))}
          </li>
        ))}
      </ul>
    </aside>
  );
}

/** One cell; it is drawn again only when its own mark changes. */
function Cell(props: { decision: string; option: string; criterion: string; label: string }) {
  const [mark, set] = useMark(props.decision, props.option, props.criterion);
  return (
    <button type="button" onClick={() => set(mark === "yes" ? null : "yes")}>
      {props.label}: {mark ?? "not marked"}
    </button>
  );
}
