/** The type without its parameters, in lower case (RFC 9110, 8.3.1). */
export const plainType = (mediaType: string): string =>
  (mediaType.slice(0, 200).split(';')[0] ?? '').trim().toLowerCase()

export const isForm = (mediaType: string): boolean => plainType(mediaType) === 'application/x-www-form-urlencoded'

/** Also types such as `application/merge-patch+json` (RFC 6839, 3.1). */
export const isJson = (mediaType: string): boolean => /^application\/(?:json|[\w.-]+\+json)$/.test(plainType(mediaType))

/** Ranges that JSON is in. */
export const isAnything = (mediaType: string): boolean => ['*/*', 'application/*'].includes(plainType(mediaType))
