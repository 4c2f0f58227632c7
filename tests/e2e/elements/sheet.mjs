/** Many pictures as one WebP file that is small and still sharp: few colours, nothing scaled. */
import sharp from "sharp";

/** Wide enough for two desktop cards or four of a phone. */
const WIDTH_MAX_PX = 1700;
const GAP_PX = 16;
const TITLE_PX = 18;
const BACKGROUND = "#8d9096";

/** `blocks`: pictures `{title, png}` of one width each; a block begins a row. */
export async function sheet(blocks, coloursMax) {
  const placed = [];
  let [x, y, width] = [0, GAP_PX, 0];
  for (const block of blocks) {
    let height = 0;
    x = GAP_PX;
    for (const { title, png } of block) {
      const size = await sharp(png).metadata();
      if (x > GAP_PX && x + size.width + GAP_PX > WIDTH_MAX_PX) {
        y += height + GAP_PX;
        [x, height] = [GAP_PX, 0];
      }
      placed.push({ input: titleOf(title, size.width), left: x, top: y });
      placed.push({ input: png, left: x, top: y + TITLE_PX });
      x += size.width + GAP_PX;
      width = Math.max(width, x);
      height = Math.max(height, size.height + TITLE_PX);
    }
    y += height + GAP_PX;
  }
  const canvas = { width, height: y, channels: 3, background: BACKGROUND };
  return inFewColours(sharp({ create: canvas }).composite(placed), coloursMax);
}

/** A single picture. */
export const single = (png, coloursMax) => inFewColours(sharp(png), coloursMax);

const titleOf = (title, width) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${TITLE_PX}"><text y="13" font-family="sans-serif" font-size="13">${title}</text></svg>`,
  );

async function inFewColours(image, coloursMax) {
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  reduce(data, coloursMax);
  const { width, height, channels } = info;
  return sharp(data, { raw: { width, height, channels } })
    .webp({ lossless: true, effort: 6 })
    .toBuffer();
}

/** Keeps the colours that are seen most; every other one becomes the nearest of them. */
function reduce(data, coloursMax) {
  const at = (i) => (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
  const parts = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];
  const counts = new Map();
  for (let i = 0; i < data.length; i += 3) counts.set(at(i), (counts.get(at(i)) ?? 0) + 1);
  // A green tick is few pixels among thousands of greys, and is seen before them.
  const seen = ([colour, count]) => {
    const channels = parts(colour);
    return count * (1 + Math.max(...channels) - Math.min(...channels));
  };
  const kept = [...counts].sort((a, b) => seen(b) - seen(a)).slice(0, coloursMax);
  const palette = kept.map(([colour]) => parts(colour));
  const nearest = new Map();
  for (const colour of counts.keys()) {
    const [r, g, b] = parts(colour);
    const far = palette.map((one) => (one[0] - r) ** 2 + (one[1] - g) ** 2 + (one[2] - b) ** 2);
    nearest.set(colour, palette[far.indexOf(Math.min(...far))]);
  }
  for (let i = 0; i < data.length; i += 3) data.set(nearest.get(at(i)), i);
}
