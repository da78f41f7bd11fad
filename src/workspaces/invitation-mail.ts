import type { NewMail } from '../outbox/outbox.ts'

/** To the address that is invited. Names are what people wrote, so they are quoted. */
export const invitationMail = (
  { email: to, expiresAt }: { email: string; expiresAt: Date },
  { workspace, inviter, token, baseUrl }: { workspace: string; inviter: string; token: string; baseUrl: string },
): NewMail => ({
  to,
  subject: 'You are invited to a workspace',
  text: `${[
    `${inviter} invites you to the workspace “${workspace}” at ${baseUrl}.`,
    `Log in with an account that has this address, verify the address, and send the token below to POST ${baseUrl}/invitations/accept within seven days. It can be used once.`,
    token,
    'If you do not want to join, do nothing.',
  ].join('\n\n')}\n`,
  expiresAt,
})
