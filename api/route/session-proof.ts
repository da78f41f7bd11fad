import { noteInLog } from '../../src/logger.ts'
import type { OpenSession } from '../../src/sessions/open-session.ts'
import type { AccountOfProof, ProofInput } from './proof.ts'

const header = 'X-Session-Token'

/**
 * The proof of routes that belong to one chat session: its token, and nothing else. `proven` is the open session.
 * Requests count as those of the session's owner. For any path: `route({ access: 'anyone', proof: sessionProof, … })`.
 */
export const sessionProof = {
  schemes: {
    sessionToken: { type: 'apiKey', in: 'header', name: header, description: 'Session token from `POST /sessions`' },
  },
  codes: ['INVALID_SESSION', 'SESSION_NOT_FOUND', 'SESSION_EXPIRED', 'WORKSPACE_REQUIRED', 'PERMISSION_DENIED'],
  async verify({ services, request }: Pick<ProofInput<string>, 'services' | 'request'>): Promise<OpenSession> {
    const open = await services.sessions.open(request.header(header))
    noteInLog({ sessionId: open.session.id })
    return open
  },
  account: {
    header,
    of: ({ session, allowance, termsAccepted }: OpenSession): AccountOfProof => ({
      userId: session.userId ?? session.ownerId,
      allowance,
      termsAccepted,
      countedBy: session.id,
    }),
  },
} as const
