import { rememberingCanonicalJson } from '../../canonical-json.ts'

export const textOf = rememberingCanonicalJson()

export const isSame = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other)
