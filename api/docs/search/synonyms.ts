/** What people call something, and what the guide calls it. */
const synonyms: readonly (readonly [RegExp, string])[] = [
  [/\bhuman[ -]in[ -]the[ -]loop\b|\bhitl\b|^approvals?$/gi, 'approve tool calls'],
  [/\bcross[ -]origin\b/gi, 'CORS_ORIGINS'],
  [/\bcors\b/gi, 'CORS_ORIGINS'],
  [/\bbackups?\b/gi, 'back up'],
  [/\bcron ?jobs?\b/gi, 'schedule'],
  [/\b(?:2fa|mfa)\b/gi, 'authenticator'],
]

/** The query with the words that the guide uses. */
export const inOurWords = (query: string): string =>
  synonyms.reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), query)
