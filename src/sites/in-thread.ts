import { jsonFingerprint } from '../canonical-json.ts'
import { isCoded, type ErrorDetail } from '../errors.ts'
import { parseJson } from '../json.ts'
import { compareManifests, type ManifestComparison } from './changes/manifest-changes.ts'
import type { Manifest } from './manifest.ts'
import { argumentProblems } from './tool-arguments.ts'

/*
 * Runs in a thread, because strangers' input decides how long it takes. Errors lose their class on the way back, so
 * refusals are results.
 */

export type CheckedArguments = { problems: ErrorDetail[] } | { unusable: string }

/**
 * Checks arguments against a tool's input schema, both as JSON texts. `unusable` explains why the schema cannot be
 * used.
 */
export const checkArguments = ({ schema, args }: { schema: string; args: string }): CheckedArguments => {
  const parsed = parseJson(args)
  if (!parsed.ok) return { problems: [{ path: '', message: `is invalid. ${parsed.problem}` }] }
  try {
    return { problems: argumentProblems(JSON.parse(schema), parsed.value) }
  } catch (error) {
    if (isCoded(error, 'MANIFEST_INVALID')) return { unusable: error.message }
    throw error
  }
}

export type ComparedManifests = ManifestComparison & { fingerprint: string }

/** Compares two manifests, as JSON texts. Their input schemas must have been checked. */
export function compareTexts(given: { before: string; after: string }): ComparedManifests {
  const [before, after] = [JSON.parse(given.before) as Manifest, JSON.parse(given.after) as Manifest]
  return { ...compareManifests(before, after), fingerprint: jsonFingerprint(after) }
}
