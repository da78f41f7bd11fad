import { hidingOf } from './hidings.ts'

/** JSON, and what must not remain in it. */
export interface HiddenJson {
  json: string
  secrets: readonly string[]
}

/** The JSON without the secrets in its texts and names of members; null if there are none. */
export async function hideJson({ json, secrets }: HiddenJson): Promise<string | null> {
  const hidden = JSON.stringify((await hidingOf(secrets)).value<unknown>(JSON.parse(json)))
  return hidden === json ? null : hidden
}
