import { isCoded, type ErrorDetail } from '../errors.ts'
import { parseManifest, type Manifest } from './manifest/manifest.ts'
import { argumentProblems } from './tool-arguments.ts'

/*
 * What runs in a thread (src/threads/threads.ts), because a stranger decides how long it takes. Errors lose their class
 * on the way back, so refusals are results.
 */

export type ReadManifest = { manifest: Manifest } | { problems: ErrorDetail[] }

/** Parses and checks a manifest. */
export const readManifest = (bytes: Uint8Array): ReadManifest => {
  try {
    return { manifest: parseManifest(bytes) }
  } catch (error) {
    if (isCoded(error, 'MANIFEST_INVALID')) return { problems: error.details ?? [] }
    throw error
  }
}

export type CheckedArguments = { problems: ErrorDetail[] } | { unusable: string }

/** Checks arguments against a tool's input schema; `unusable` says why the schema itself cannot be used. */
export const checkArguments = ({ schema, args }: { schema: unknown; args: unknown }): CheckedArguments => {
  try {
    return { problems: argumentProblems(schema, args) }
  } catch (error) {
    if (isCoded(error, 'MANIFEST_INVALID')) return { unusable: error.message }
    throw error
  }
}
