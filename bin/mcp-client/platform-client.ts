/** What the program is told by the test that starts it. */
export interface Settings {
  /** The platform's address, and an access token of somebody there. */
  url: string
  token: string
  /** PEM files of a server certificate that the platform trusts. */
  certFile: string
  keyFile: string
}

interface Tool {
  name: string
  inputSchema: Record<string, unknown>
}

/** The requests of the platform's public API that the program needs. */
export function platformAt({ url, token }: Settings) {
  async function ask(method: string, path: string, body?: unknown) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }

  async function get<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await ask(method, path, body)
    if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return JSON.parse(text) as T
  }

  return {
    inspect: (site: string) =>
      get<{ authType: string; foreignHosts: string[] }>('POST', '/vault/inspect', { url: site }),
    add: async (site: string): Promise<string> => (await get<{ id: string }>('POST', '/vault', { url: site })).id,
    /** The address for the browser of the owner. */
    startOAuth: async (request: Record<string, unknown>): Promise<string> =>
      (await get<{ connectUrl: string }>('POST', '/vault/oauth/start', request)).connectUrl,
    /** Whether the entry needs its owner, who is told why. */
    needsOwner: async (entryId: string): Promise<boolean> =>
      (await get<{ statusReason: string | null }>('GET', `/vault/${entryId}`)).statusReason !== null,
    toolsOf: async (entryId: string): Promise<Tool[]> =>
      (await get<{ items: Tool[] }>('GET', `/vault/${entryId}/tools`)).items,
    /** Calls a tool, and returns what the platform answers, whatever it is. */
    call: async (entryId: string, name: string, given: Record<string, unknown>): Promise<string> =>
      (await ask('POST', `/vault/${entryId}/tools/${encodeURIComponent(name)}/call`, given)).text,
  }
}

export type PlatformClient = ReturnType<typeof platformAt>
