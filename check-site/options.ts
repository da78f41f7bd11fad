/** What the checker is told. Nothing of it is written anywhere. */
export interface CheckOptions {
  /** The address of the site, as its owner wrote it. */
  site: string
  /** A token of a user who may do everything that is called. */
  token?: string | undefined
  /** A token of a user who may not use every tool. */
  limitedToken?: string | undefined
  /** Call tools with good arguments that do more than read, too. */
  callAll: boolean
  /** How many quick calls are made to meet the site's limit; 0 for none. */
  burst: number
  /** Where plain HTTP would be found; 80 for sites on the usual port. */
  httpPort?: number | undefined
  oauth?: OAuthOptions | undefined
  timeoutSeconds: number
  /** The longest Retry-After that is waited for. */
  patienceSeconds: number
  /** `host:port` pairs whose address may be private, and a PEM file to trust. */
  allow: readonly string[]
  caFile?: string | undefined
  /** For the User-Agent. */
  baseUrl: string
}

export interface OAuthOptions {
  clientId: string
  /** Registered for this client. */
  redirectUri: string
  /** Scopes to ask for; without any, `read`, or the first that the site offers. */
  scopes?: string[] | undefined
  /** Brings a person to the address and answers with the one that the browser ended at; without it nobody signs in. */
  authorise?: ((url: string) => Promise<string>) | undefined
}

export const defaults = { callAll: false, burst: 0, timeoutSeconds: 30, patienceSeconds: 60, allow: [] } as const
