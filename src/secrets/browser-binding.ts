import { derivedToken, hashToken, isToken, newToken } from './opaque-tokens.ts'

/** The secrets that tie a flow to one browser (RFC 9700, 2.1 and 4.7). */
export interface BrowserBinding {
  /** The value of the browser's cookie. */
  binding: string
  /** Its stored form. */
  bindingHash: string
  /** Only a page served to the browser with this cookie can contain this. */
  seen: string
  /** What is sent to the other side. The same browser always gets the same one, so any of its tabs can finish. */
  state: string
}

/** The binding of a browser to a flow: by the cookie that it has, or a new one. */
export function bindBrowser(flowId: string, cookie: string | undefined): BrowserBinding {
  const binding = cookie !== undefined && isToken('binding', cookie) ? cookie : newToken('binding')
  return {
    binding,
    bindingHash: hashToken(binding),
    seen: derivedToken('seen', binding, flowId),
    state: derivedToken('state', binding, flowId),
  }
}
