/**
 * An address for display outside its owner's secrets. People write keys into the query, or as a user before the host.
 */
export const shownUrl = (url: string): string =>
  url.replace(/^([a-z][\w+.-]*:\/\/)[^/?#]*@/i, '$1…@').replace(/[?#].*$/s, '?…')
