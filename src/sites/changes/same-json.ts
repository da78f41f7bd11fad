import { rememberingCanonicalJson } from '../../canonical-json.ts'

/** The canonical text of a part of a manifest. */
export const textOf = rememberingCanonicalJson()

/** Whether two parts of manifests are the same JSON. */
export const isSame = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other)
