/**
 * An address as it is shown and noted where its owner's secrets are not: people write keys into the query, or as a user
 * before the host.
 */
export const shownUrl = (url: string): string =>
  url.replace(/^([a-z][\w+.-]*:\/\/)[^/?#]*@/i, '$1…@').replace(/[?#].*$/s, '?…')
