import { distance } from 'fastest-levenshtein'
import * as v from 'valibot'

/** An object that has these members and no others. */
export const onlyMembers = <E extends v.ObjectEntries>(entries: E) =>
  v.strictObject(entries, (issue) => membersInWords(issue, Object.keys(entries)))

/** The place of an issue, such as `providers.0.kind`. What is wrong with a member that is not known is told of its object. */
export function placeOf(issue: v.BaseIssue<unknown>): string {
  const path = issue.path?.map(({ key }) => String(key)) ?? []
  const told = isUnknownMember(issue) ? path.slice(0, -1) : path
  return told.length > 0 ? told.join('.') : 'the file'
}

const isUnknownMember = ({ type, expected }: v.BaseIssue<unknown>): boolean =>
  type === 'strict_object' && expected === 'never'

function membersInWords(issue: v.StrictObjectIssue, known: string[]): string {
  if (isUnknownMember(issue)) return unknownInWords(Object.keys(inputOf(issue)), known)
  return issue.received === 'undefined' ? 'is missing' : 'must be an object'
}

/** valibot stops at the first member that is not known. */
const inputOf = ({ path }: v.StrictObjectIssue): object => path?.at(-1)?.input as object

/** Never names the member, which may be a secret in the wrong place, only what it may have been meant to be. */
function unknownInWords(members: string[], known: string[]): string {
  const unknown = members.filter((one) => !known.includes(one))
  const meant = new Set(unknown.map((one) => similar(one, known)).filter((one) => one !== undefined))
  const what = unknown.length === 1 ? 'an unknown member' : `${unknown.length} unknown members`
  const hint = meant.size > 0 ? ` (did you mean ${[...meant].join(', ')}?)` : ''
  return `has ${what}${hint}. Allowed members: ${known.join(', ')}`
}

/** The nearest known member, at most two letters away, or the one that begins so: `apiKey` for `apiKeyEnv`. */
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

/** So that `base_url` is near `baseUrl`. */
const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')
