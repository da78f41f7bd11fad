/** The console's first page, as a path below BASE_URL. */
export const consoleHome = '/console'

const pageOf = (kind: string) => (id: string) => `${consoleHome}/${kind}/${encodeURIComponent(id)}`

/** The token is in the fragment, which browsers send to no server. So it reaches no log. */
const withToken = (page: string) => (token: string) => `${consoleHome}/${page}#token=${encodeURIComponent(token)}`

/** The page that shows one thing, by its id. */
export const agentPage = pageOf('agents')
export const approvalPage = pageOf('approvals')
export const runPage = pageOf('runs')
export const vaultEntryPage = pageOf('sites')

/** The page that uses a token: to verify an address, to choose a new password, or to join a workspace. */
export const verifyPage = withToken('verify')
export const resetPage = withToken('reset')
export const invitationPage = withToken('invitation')

/** The page that makes the first admin. Its fragment is the token alone. */
export const firstAdminPage = (token: string): string => `${consoleHome}/first#${encodeURIComponent(token)}`
