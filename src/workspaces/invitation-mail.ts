import { harmlessAddress, harmlessName } from '../notifications/plain-text.ts'
import { quotedName } from '../names.ts'
import type { NewMail } from '../outbox/outbox.ts'

/**
 * To the address that is invited: perhaps that of a stranger. So the name of the workspace is quoted only if it is harmless,
 * and the inviter is named only by a verified address.
 */
export const invitationMail = (
  { email: to, expiresAt }: { email: string; expiresAt: Date },
  named: { workspace: string; inviter: string; token: string; baseUrl: string },
): NewMail => ({
  to,
  subject: 'You are invited to a workspace',
  text: `${[
    `${harmlessAddress(named.inviter) ?? 'Somebody'} invites you to ${workspaceOf(named.workspace)} at ${named.baseUrl}.`,
    `Log in with an account that has this address, verify the address, and send the token below to POST ${named.baseUrl}/invitations/accept within seven days. It can be used once.`,
    named.token,
    'If you do not want to join, do nothing.',
  ].join('\n\n')}\n`,
  expiresAt,
  kind: 'asked',
})

function workspaceOf(name: string): string {
  const harmless = harmlessName(name)
  return harmless === undefined ? 'a workspace' : `the workspace ${quotedName(harmless)}`
}
