/** The checker's options. None of them is stored. */
export interface CheckOptions {
  /** The address of the site, as the user entered it. */
  site: string
  /** A token of a user with every permission. */
  token?: string | undefined
  /** A token of a user who may not use every tool. */
  limitedToken?: string | undefined
  /** Call all tools with valid arguments, not only read tools. */
  callAll: boolean
  /** How many fast calls to make to reach the site's limit; 0 for none. */
  burst: number
  /** The port of plain HTTP; by default 80 if the site uses the default port. */
  httpPort?: number | undefined
  oauth?: OAuthOptions | undefined
  /** The most tools to call. The result for twenty is mostly that of the rest. */
  mostTools: number
  timeoutSeconds: number
  /** The longest Retry-After to wait for. */
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
  /** Scopes to request; by default `read`, or the first that the site offers. */
  scopes?: string[] | undefined
  /** Has a person visit the address, and returns the final address. Without it nobody signs in. */
  authorize?: ((url: string, wish: Wish) => Promise<string>) | undefined
  /** Whether to ask the person to refuse once as well; true by default. */
  deny?: boolean | undefined
}

/** What to ask the person at the consent screen. */
export type Wish = 'allow' | 'deny'

export const defaults = {
  callAll: false,
  burst: 0,
  mostTools: 20,
  timeoutSeconds: 30,
  patienceSeconds: 60,
  allow: [],
} as const
