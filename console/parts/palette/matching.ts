/** Something that the palette can do or open. */
export interface Entry {
  /** Unique among the entries. */
  id: string
  group: string
  name: string
  /** What tells entries of one name apart: an address, a status, a key. */
  beside?: string
  run: () => void
}

/** The most entries that the palette shows of a group. */
const perGroup = 8

/** The entries in which each typed word begins a word, in the given order; those whose name begins so come first. */
export function matching(entries: readonly Entry[], typed: string): Entry[] {
  const words = wordsOf(typed)
  const found = entries.filter((entry) => words.every((word) => beginsAWord(entry, word)))
  const start = typed.trim().toLowerCase()
  const sorted = found.toSorted((one, other) => Number(begins(other, start)) - Number(begins(one, start)))
  return [...Map.groupBy(sorted, ({ group }) => group).values()].flatMap((group) => group.slice(0, perGroup))
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

const begins = ({ name }: Entry, start: string): boolean => name.toLowerCase().startsWith(start)

function beginsAWord({ name, beside = '' }: Entry, word: string): boolean {
  const text = `${name} ${beside}`.toLowerCase()
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '') || !/[\p{L}\p{N}]/u.test(word[0] ?? '')) return true
  return false
}

const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** The last id in what somebody pasted: the id alone, or the address of a page or of a request. */
export const idIn = (typed: string): string | undefined => typed.match(id)?.at(-1)?.toLowerCase()

/** How many results there are, for a screen reader. */
export const countOfResults = (count: number): string =>
  count === 0 ? 'Nothing found' : count === 1 ? '1 result' : `${count} results`
