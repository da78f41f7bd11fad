import { createRootRoute, createRoute, lazyRouteComponent, notFound, redirect } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { ErrorPage, NotFoundPage } from '../parts/pages.tsx'
import { accountQuery, homeOf, needsTerms, own, workspacesQuery } from '../session/account.ts'
import { returnedFrom } from '../session/returned.ts'
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

/** Pages of an owner: the account, or one of its workspaces. A browser that comes back from a site is told what came of it. */
export const ofOwner = createRoute({
  getParentRoute: () => signedIn,
  path: '/w/$owner',
  async beforeLoad({ params: { owner }, context, location }) {
    const workspaces = await queries.ensureQueryData(workspacesQuery)
    if (owner === own && homeOf(context.account) !== own) throw notFound()
    if (owner !== own && !workspaces.some(({ id }) => id === owner)) throw notFound()
    const back = await returnedFrom(location, owner)
    if (back) throw redirect({ ...back, replace: true })
  },
  component: Shell,
  notFoundComponent: NotFoundPage,
})

/** A page of the owner, whose address says nothing more. */
export const page = <const Path extends string>(
  path: Path,
  title: string,
  load: () => Promise<{ Page: () => unknown }>,
) =>
  createRoute({
    getParentRoute: () => ofOwner,
    path,
    staticData: { title },
    component: lazyRouteComponent(load, 'Page') as () => React.ReactNode,
  })
