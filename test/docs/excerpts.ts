/**
 * A pattern for a line of output as a page shows it: "…" stands for what was left out, and ids, times and ports differ
 * from run to run.
 */
const patternOf = (line: string): string =>
  line
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\b01[0-9a-f]{6}[0-9a-f-]*/g, '[0-9a-f-]{8,}')
    .replaceAll(/\b2026-…/g, String.raw`\d{4}-…`)
    .replaceAll(/(?<=127\\\.0\\\.0\\\.1:)\d+/g, String.raw`\d+`)
    // An object that the page has on one line may have several.
    .replaceAll(/, … ?\\\}$/g, String.raw`,[^]*?\n\}`)
    .replaceAll(/ ?…/g, '.*')
    .replaceAll(/ +/g, String.raw`\s+`)

/** The first line of the excerpt that the output does not have where it should be: in the same order. */
export function missingFrom(output: string, excerpt: string): string | undefined {
  let place = 0
  for (const line of excerpt.split('\n').filter(Boolean)) {
    const found = new RegExp(`^${patternOf(line)}$`, 'm').exec(output.slice(place))
    if (!found) return line
    place += found.index + found[0].length
  }
  return undefined
}
