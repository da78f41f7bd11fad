import { createRootRoute, createRoute, notFound, redirect } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { ErrorPage, NotFoundPage } from '../parts/pages.tsx'
import { accountQuery, homeOf, needsTerms, own, workspacesQuery } from '../session/account.ts'
import { Shell } from '../Shell.tsx'

export const root = createRootRoute({ notFoundComponent: NotFoundPage, errorComponent: ErrorPage })

/** Pages of somebody who is signed in and has accepted the terms. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  async beforeLoad({ location }) {
    const account = await queries.ensureQueryData(accountQuery)
    if (account === null) throw redirect({ to: '/sign-in', search: { from: location.href }, replace: true })
    if (needsTerms(account)) throw redirect({ to: '/terms', search: { from: location.href }, replace: true })
    return { account }
  },
})

/** Pages of an owner: the account, or one of its workspaces. */
export const ofOwner = createRoute({
  getParentRoute: () => signedIn,
  path: '/w/$owner',
  async beforeLoad({ params: { owner }, context }) {
    const workspaces = await queries.ensureQueryData(workspacesQuery)
    if (owner === own && homeOf(context.account) !== own) throw notFound()
    if (owner !== own && !workspaces.some(({ id }) => id === owner)) throw notFound()
  },
  component: Shell,
  notFoundComponent: NotFoundPage,
})
