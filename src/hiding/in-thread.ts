import { hidingOf } from './hiding-cache.ts'

export interface HiddenJson {
  json: string
  secrets: readonly string[]
}

/** The JSON with secrets masked in strings and member names; null if it contains none. */
export async function hideJson({ json, secrets }: HiddenJson): Promise<string | null> {
  const hidden = JSON.stringify((await hidingOf(secrets)).value<unknown>(JSON.parse(json)))
  return hidden === json ? null : hidden
}
