/** Headers that no argument of a call may set: they decide where a request goes, who sends it, or where it ends. */
const own = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'idempotency-key',
  'http2-settings',
  'keep-alive',
  'origin',
  'proxy-authorization',
  'referer',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
  // Some servers obey these instead of the method or the path.
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
])

/** Whether the platform sets the header itself, or nobody may (RFC 9110, 5.1: names are not case-sensitive). */
export const isOwnHeader = (name: string): boolean => {
  const lower = name.toLowerCase()
  return own.has(lower) || /^(?:proxy|sec|x-forwarded|access-control-request)-/.test(lower)
}

/** A token (RFC 9110, 5.6.2). */
export const isHeaderName = (name: unknown): name is string =>
  typeof name === 'string' && /^[\w!#$%&'*+\-.^`|~]{1,100}$/.test(name)
