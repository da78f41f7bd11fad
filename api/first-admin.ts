import * as v from 'valibot'
import { inCookies } from './browser/login-cookies.ts'
import { refuseOtherPages } from './route/own-page.ts'
import { clientOf } from './route/request-facts.ts'
import { route } from './route/route.ts'
import { cookieLogin, email, password } from './schemas/auth-schema.ts'
import { field } from './schemas/documented.ts'
import { text } from './schemas/schemas.ts'

export const createFirstAdmin = route({
  name: 'createFirstAdmin',
  tag: 'auth',
  terms: false,
  limit: 'address',
  audit: { not: 'Recorded in the same transaction as the change.' },
  method: 'post',
  path: '/auth/first-admin',
  summary: 'Create the first admin',
  description:
    'For the console. Takes the token from the link that `npm start` or `npm run admin -- first-admin` prints. The token works once and expires after an hour. The account has a verified address, has accepted the terms and, if there are tiers, gets `enterprise` for free. The response sets the sign-in cookies.',
  access: 'anyone',
  body: v.strictObject({
    token: field(text(200), 'Token from the link', 'sy_admin_an-example'),
    email,
    password,
  }),
  status: 201,
  response: cookieLogin,
  codes: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'PERMISSION_DENIED'],
  async handle({ services, body, request }) {
    // A page of another origin must not log the visitor in to another account.
    refuseOtherPages(request.header, services.config.http.baseUrl)
    const { userId, tokens } = await services.users.createFirstAdmin(body, clientOf(request))
    // Operators pay for the installation itself, so no tier keeps them from trying a part of it.
    if (services.config.billing.mode !== 'off') await services.adminAccounts.give(userId, { tier: 'enterprise' })
    return inCookies(services, tokens, { inPlace: false })
  },
})
