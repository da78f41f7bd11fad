import { invitationPage } from '../console-pages.ts'
import { harmlessAddress, harmlessName } from '../notifications/plain-text.ts'
import { quotedName } from '../names.ts'
import type { NewMail } from '../outbox/outbox.ts'

/**
 * A mail to the invited address, possibly a stranger's. So it quotes the workspace's name only if it is harmless, and
 * names the inviter only by a verified address.
 */
export const invitationMail = (
  { email: to, expiresAt }: { email: string; expiresAt: Date },
  named: { workspace: string; inviter: string; token: string; baseUrl: string },
): NewMail => ({
  to,
  subject: 'You have been invited to a workspace',
  text: `${[
    `${harmlessAddress(named.inviter) ?? 'Someone'} has invited you to ${workspaceOf(named.workspace)} at ${named.baseUrl}.`,
    'To join, open this link within seven days. Sign in there with an account that has this email address, and verify the address:',
    `${named.baseUrl}${invitationPage(named.token)}`,
    `The link works once. From a program, send this token with POST ${named.baseUrl}/invitations/accept instead:`,
    named.token,
    'If you do not want to join, ignore this email.',
  ].join('\n\n')}\n`,
  expiresAt,
  kind: 'asked',
})

function workspaceOf(name: string): string {
  const harmless = harmlessName(name)
  return harmless === undefined ? 'a workspace' : `the workspace ${quotedName(harmless)}`
}
