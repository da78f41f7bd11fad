/** Whether a token can be sent in a header as it is (RFC 9110, 5.5), without what sites and people would trim. */
export const isHeaderToken = (token: string): boolean => /^[\x21-\x7e]+$/.test(token)
