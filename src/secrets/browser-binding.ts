import { derivedToken, hashToken, isToken, newToken } from './opaque-tokens.ts'

/** The secrets that bind a flow to one browser (RFC 9700, 2.1 and 4.7). */
export interface BrowserBinding {
  binding: string
  bindingHash: string
  /** A value that only a page served to this browser can contain. */
  seen: string
  /** The state sent to the other side. It is stable per browser, so any of its tabs can finish. */
  state: string
}

/** Binds a browser to a flow, by its existing cookie or a new one. */
export function bindBrowser(flowId: string, cookie: string | undefined): BrowserBinding {
  const binding = cookie !== undefined && isToken('binding', cookie) ? cookie : newToken('binding')
  return {
    binding,
    bindingHash: hashToken(binding),
    seen: derivedToken('seen', binding, flowId),
    state: derivedToken('state', binding, flowId),
  }
}
