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

/** What a site asks for in a form. */
export interface FormField {
  name: string
  kind: string
  preset: string | number | boolean | null
  choices: { value: string }[]
}

/** An approval that waits, and what its site asks, if it asks anything. */
interface Pending {
  id: string
  form?: { fields: FormField[] } | null
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
    /** Starts a run of a new agent that follows the script with the tools of the entry. */
    async startRun(entryId: string, systemPrompt: string): Promise<string> {
      const agent = { name: 'Conformance', trigger: 'manual', systemPrompt, sites: [{ vaultEntryId: entryId }] }
      const { id } = await get<{ id: string }>('POST', '/agents', agent)
      return (await get<{ id: string }>('POST', `/agents/${id}/runs`)).id
    },
    run: (runId: string) => get<{ status: string; endedAt: string | null }>('GET', `/runs/${runId}`),
    pending: async () => (await get<{ items: Pending[] }>('GET', '/approvals?status=pending')).items,
    approve: (approvalId: string, input: Record<string, unknown>) =>
      get<unknown>('POST', `/approvals/${approvalId}`, { decision: 'approve', input }),
  }
}

export type PlatformClient = ReturnType<typeof platformAt>
