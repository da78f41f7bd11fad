import { distance } from 'fastest-levenshtein'
import * as v from 'valibot'

/** An object with exactly these members. */
export const onlyMembers = <E extends v.ObjectEntries>(entries: E) =>
  v.strictObject(entries, (issue) => membersInWords(issue, Object.keys(entries)))

/** The place of an issue, such as `providers.0.kind`. An unknown member is reported at its object. */
export function placeOf(issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map(({ key }) => String(key)) ?? []
  const place = isUnknownMember(issue) ? path.slice(0, -1) : path
  return place.length > 0 ? place.join('.') : 'the file'
}

const isUnknownMember = ({ type, expected }: v.BaseIssue<unknown>): boolean =>
  type === 'strict_object' && expected === 'never'

function membersInWords(issue: v.StrictObjectIssue, known: string[]): string {
  if (isUnknownMember(issue)) return unknownInWords(Object.keys(inputOf(issue)), known)
  return issue.received === 'undefined' ? 'is missing' : 'must be an object'
}

/** Valibot stops at the first unknown member. */
const inputOf = ({ path }: v.StrictObjectIssue): object => path?.at(-1)?.input as object

/** Never names the member, which may be a misplaced secret, only the likely intended one. */
function unknownInWords(members: string[], known: string[]): string {
  const unknown = members.filter((one) => !known.includes(one))
  const meant = new Set(unknown.map((one) => similar(one, known)).filter((one) => one !== undefined))
  const what = unknown.length === 1 ? 'an unknown member' : `${unknown.length} unknown members`
  const hint = meant.size > 0 ? ` (did you mean ${[...meant].join(', ')}?)` : ''
  return `has ${what}${hint}. Allowed members: ${known.join(', ')}`
}

/** The nearest known member, at most two letters away, or the one with this beginning: `apiKey` for `apiKeyEnv`. */
function similar(member: string, known: string[]): string | undefined {
  const wanted = lettersOf(member)
  if (wanted.length < 3 || wanted.length > longest) return undefined
  const candidates = known.map((one) => ({ one, letters: lettersAway(wanted, lettersOf(one)) }))
  const [best] = candidates.toSorted((a, b) => a.letters - b.letters)
  // Two letters are too many for a short word.
  return best && best.letters <= (wanted.length < 6 ? 1 : 2) ? best.one : undefined
}

/** No known member is longer. */
const longest = 30

const lettersAway = (wanted: string, known: string): number => (known.startsWith(wanted) ? 1 : distance(wanted, known))

/** Makes `base_url` match `baseUrl`. */
const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')
