/**
 * The longest answer of a site that is read without a thread. Parsing and masking it take three milliseconds at worst,
 * and a thread takes one. A mebibyte takes 150.
 */
export const inlineCharacters = 16 * 1024
