/** A request with its whole body. */
export interface SiteRequest {
  method: string
  path: string
  query: URLSearchParams
  token: string | undefined
  key: string
  body: string
}

export interface SiteResponse {
  status: number
  headers?: Record<string, string>
  /** A buffer is sent unchanged, anything else as JSON. */
  body: unknown
}

/** The behaviour of a correct site, by names that a defective site can leave out. */
export type Rule =
  | 'needs a token'
  | 'needs a good token'
  | 'ignores tokens in the address'
  | 'compares whole tokens'
  | 'takes POST only'
  | 'knows its tools'
  | 'checks permissions'
  | 'limits calls'
  | 'checks arguments'
  | 'converts no arguments'
  | 'checks bodies'
  | 'keeps answers by key'
  | 'knows its clients'
  | 'compares redirect addresses'
  | 'compares redirect addresses whole'
  | 'needs PKCE'
  | 'needs S256'
  | 'takes codes by POST only'
  | 'returns the state of a denial'
  | 'checks verifiers'
  | 'needs verifiers'
  | 'compares redirect addresses of codes'
  | 'takes codes once'
  | 'bounds scopes'
  | 'rotates'
  | 'takes refresh tokens once'
  | 'ends grants on reuse'
  | 'tells refresh tokens from access tokens'
  | 'revokes'
  | 'stores refreshed tokens'

/** The token of a user, longer than any prefix that a defective site compares. */
export const goodToken = 'good-token-of-the-notes-4b1f6a0c9d'
export const limitedToken = 'limited-token-of-the-notes-77e2d5c1'

/** How many characters a site compares if it does not compare whole tokens. */
export const prefixLength = 20

export interface Defect {
  without?: Rule
  manifest?: (manifest: GoodManifest) => unknown
  change?: (response: SiteResponse, request: SiteRequest) => SiteResponse
}

export type GoodManifest = ReturnType<typeof goodManifest>

/** Above the ports that systems assign; only one test listens there. */
export const redirectUri = 'http://127.0.0.1:64997/callback'

const schema = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})
const id = { type: 'integer', description: 'Number of the note', examples: [1] }

/** A correct manifest with every optional member. */
export const goodManifest = (origin: string, oauth: boolean) => ({
  name: 'Notes',
  version: '1',
  description: 'Notes of a small team.',
  server: { url: `${origin}/api/` },
  auth: oauth
    ? {
        type: 'oauth2',
        authorization_url: `${origin}/authorize?tenant=1`,
        token_url: `${origin}/token`,
        revocation_url: `${origin}/revoke`,
        issuer: origin,
        scopes: ['read', 'write'],
      }
    : { type: 'bearer' },
  tools: [
    { name: 'get_note', description: 'Gets a note.', scope: 'read', effect: 'read', input_schema: schema({ id }) },
    {
      name: 'notes.add',
      description: 'Adds a note.',
      scope: 'write',
      effect: 'idempotent',
      input_schema: schema({ text: { type: 'string', description: 'Its text', minLength: 1 } }),
    },
  ],
})
