/** Percent-encodes everything but unreserved characters (RFC 3986, 2.3). */
export const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, (sign) => `%${hexOf(sign)}`)

/**
 * Keeps reserved characters (OpenAPI 3.1, 4.8.12, `allowReserved`), except those that would begin another parameter or
 * the fragment.
 */
export const reserved = (text: string): string => encoded(text).replaceAll(keptEscapes, decodeURIComponent)

const keptEscapes = /%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B)/g

/** The literal part of a path template. Escapes that its author wrote stay. */
export const literal = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\x21-\x7e]|[\\<>"`{}|^#]/gu, (sign) => encodeURIComponent(sign))

const hexOf = (sign: string): string => sign.charCodeAt(0).toString(16).toUpperCase()
