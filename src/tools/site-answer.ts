import { parseJson } from '../json.ts'
import { hidingOf } from '../hiding/hiding-cache.ts'
import { beginningOf, storable } from '../text.ts'

/** The body of a site's answer to a tool call, with the secrets to mask in it. */
export interface SiteAnswer {
  text: string
  secrets: readonly string[]
  /** Whether another value than an object is a result too. It becomes the member `result` of one. */
  mayBeAnyValue?: true
}

/** The JSON object with secrets masked, or the reason why there is none. `too-complex`: the answer cannot be read. */
export type ReadAnswer = { text: string } | { problem: 'no-json' | 'no-object' | 'too-complex' }

const maxDepth = 100

export async function readAnswer({ text, secrets, mayBeAnyValue }: SiteAnswer): Promise<ReadAnswer> {
  const given = parseJson(text, { maxDepth })
  if (!given.ok) return { problem: given.isTooDeep ? 'too-complex' : 'no-json' }
  const { value } = given
  const isOther = typeof value !== 'object' || value === null || Array.isArray(value)
  if (isOther && !mayBeAnyValue) return { problem: 'no-object' }
  return { text: (await hidingOf(secrets)).json(isOther ? `{"result":${text}}` : text) }
}

/** The site's text about a call that it refused or failed, with secrets masked; empty if there is none. */
export async function readRefusal({ text, secrets }: SiteAnswer): Promise<string> {
  const parsed = parseJson(text, { maxDepth: 20 })
  const error = parsed.ok ? (parsed.value as { error?: unknown } | null)?.error : undefined
  if (typeof error !== 'string') return ''
  const hiding = await hidingOf(secrets)
  return beginningOf(hiding.text(storable(error)), 2000)
}
