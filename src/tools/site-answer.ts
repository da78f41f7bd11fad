import { parseJson } from '../json.ts'
import { hidingOf } from '../hiding/hidings.ts'
import { beginningOf, storable } from '../text.ts'

/** The body of a site's answer to a tool call, and what must not remain in it: the token, and what else is known. */
export interface SiteAnswer {
  text: string
  secrets: readonly string[]
}

/** The JSON object without the secrets, or why there is none. `too-complex`: it cannot be read, whatever it says. */
export type ReadAnswer = { text: string } | { problem: 'no-json' | 'no-object' | 'too-complex' }

/** Nesting that a result may have. */
const maxDepth = 100

/** Reads the result of a call. */
export async function readAnswer({ text, secrets }: SiteAnswer): Promise<ReadAnswer> {
  const given = parseJson(text, { maxDepth })
  if (!given.ok) return { problem: given.isTooDeep ? 'too-complex' : 'no-json' }
  const { value } = given
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'no-object' }
  return { text: (await hidingOf(secrets)).json(text) }
}

/** What a site says about a call that it refused or failed, without the secrets; empty if it says nothing. */
export async function readRefusal({ text, secrets }: SiteAnswer): Promise<string> {
  const parsed = parseJson(text, { maxDepth: 20 })
  const error = parsed.ok ? (parsed.value as { error?: unknown } | null)?.error : undefined
  if (typeof error !== 'string') return ''
  const hiding = await hidingOf(secrets)
  return beginningOf(hiding.text(storable(error)), 2000)
}
