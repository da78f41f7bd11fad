export interface Message {
  token?: string | undefined
  headers?: Record<string, string>
  body?: unknown
  /** A raw body, instead of `body`. */
  raw?: string
  form?: Record<string, string>
}

export const headersOf = ({ token, headers, body, raw, form }: Message): Record<string, string> => ({
  accept: 'application/json',
  ...((body !== undefined || raw !== undefined) && { 'content-type': 'application/json' }),
  ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...headers,
})

export function bodyOf({ body, raw, form }: Message): { body?: string } {
  if (raw !== undefined) return { body: raw }
  if (form) return { body: new URLSearchParams(form).toString() }
  return body === undefined ? {} : { body: JSON.stringify(body) }
}

/** Empty if the text is not a JSON object. */
export function jsonOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}
