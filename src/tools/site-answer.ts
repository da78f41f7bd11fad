import { parseJson } from '../json.ts'
import { jsonWithoutSecrets, withoutSecrets } from '../safe-fetch/sent-secrets.ts'

/** The body of a site's answer to a tool call, and the token that must not remain in it. */
export interface SiteAnswer {
  text: string
  token: string
}

/** The JSON object without the token, or why there is none. `too-complex`: it cannot be read, whatever it says. */
export type ReadAnswer = { text: string } | { problem: 'no-json' | 'no-object' | 'too-complex' }

/** Nesting that a result may have. */
const maxDepth = 100

/** Reads the result of a call. */
export function readAnswer({ text, token }: SiteAnswer): ReadAnswer {
  const given = parseJson(text, { maxDepth })
  if (!given.ok) return { problem: given.isTooDeep ? 'too-complex' : 'no-json' }
  const { value } = given
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'no-object' }
  return { text: jsonWithoutSecrets(text, [token]) }
}

/** What a site says about a call that it refused or failed, without the token; empty if it says nothing. */
export function readRefusal({ text, token }: SiteAnswer): string {
  const parsed = parseJson(text, { maxDepth: 20 })
  const error = parsed.ok ? (parsed.value as { error?: unknown } | null)?.error : undefined
  if (typeof error !== 'string') return ''
  return withoutSecrets(error.toWellFormed().replaceAll('\u0000', ''), [token]).slice(0, 2000)
}
