/** Controls (line breaks among them), halves of surrogate pairs, separators of lines, and what turns text around. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/**
 * The text as one line of at most `max` characters that Postgres, a mail's subject and a terminal take as it is: names
 * and words of sites, which become part of what owners are told, may hold anything. Never fails.
 */
export function oneLine(text: string, max: number): string {
  const line = text
    .slice(0, 4 * max)
    .replaceAll(unprintable, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`
}

/** The same for a text of several lines, each of at most `maxLine` characters; empty lines stay. */
export const plainLines = (text: string, maxLines: number, maxLine: number): string =>
  text
    .split(/\r\n|\r|\n/, maxLines)
    .map((line) => oneLine(line, maxLine))
    .join('\n')
