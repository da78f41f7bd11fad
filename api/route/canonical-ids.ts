const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** UUIDs are written in lowercase and read in any case (RFC 9562, 4). Other texts stay unchanged. */
export const canonicalId = (text: string): string => (uuid.test(text) ? text.toLowerCase() : text)

/** Names of members that hold our ids. Ids in a chat may be the client's own, which stay unchanged. */
const holdsIds = (name: string): boolean => /(?:Ids?|^upTo)$/.test(name) && !['chatId', 'messageId'].includes(name)

/**
 * The members of a query or a body with canonical ids, including items of lists. Nothing deeper is changed: arguments
 * and schemas belong to the client.
 */
export const withCanonicalIds = (given: object, isItem = false): object =>
  Object.fromEntries(Object.entries(given).map(([name, member]) => [name, canonical(member, holdsIds(name), isItem)]))

/** The parameters of a path with canonical ids. */
export const withCanonicalParams = (params: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, text]) => [name, holdsIds(name) ? canonicalId(text) : text]))

function canonical(member: unknown, isId: boolean, isItem: boolean): unknown {
  if (typeof member === 'string') return isId ? canonicalId(member) : member
  if (!Array.isArray(member) || isItem) return member
  return member.map((item: unknown) => {
    if (typeof item === 'string') return isId ? canonicalId(item) : item
    return typeof item === 'object' && item !== null && !Array.isArray(item) ? withCanonicalIds(item, true) : item
  })
}
