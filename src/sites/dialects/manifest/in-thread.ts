import { isCoded, type ErrorDetail } from '../../../errors.ts'
import { parseManifest } from './parse-manifest.ts'

/* Runs in a thread, because strangers' input decides how long it takes. Errors lose their class on the way back. */

export type ReadManifest = { text: string } | { problems: ErrorDetail[] }

export const readManifest = (bytes: Uint8Array): ReadManifest => {
  try {
    return { text: JSON.stringify(parseManifest(bytes)) }
  } catch (error) {
    if (isCoded(error, 'MANIFEST_INVALID')) return { problems: error.details ?? [] }
    throw error
  }
}
