import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, notFound } from '@tanstack/react-router'
import { useMemo } from 'react'
import { accountQuery, own, workspacesQuery } from './account.ts'
import { can, type Action, type Role } from './can.ts'

/** The owner that the page shows: the account itself, or a workspace. */
export interface Owner {
  /** In addresses: `me` or the id of a workspace. */
  address: string
  name: string
  role: Role
  /** For queries: absent for the account's own things. */
  query: { workspaceId?: string }
  may: (action: Action) => boolean
}

const route = getRouteApi('/signed-in/w/$owner')

/** The owner named by the address. Only below `/w/$owner`, whose loader has checked that it exists. */
export function useOwner(): Owner {
  const { owner } = route.useParams()
  const account = useSuspenseQuery(accountQuery).data
  const workspaces = useSuspenseQuery(workspacesQuery).data
  const workspace = workspaces.find(({ id }) => id === owner)
  const email = account?.email ?? ''
  const found = useMemo(() => ownerOf(workspace ?? { id: own, name: email, role: 'owner' }), [workspace, email])
  if (owner !== own && !workspace) throw notFound()
  return found
}

function ownerOf({ id, name, role }: { id: string; name: string; role: Role }): Owner {
  const query = id === own ? {} : { workspaceId: id }
  return { address: id, name, role, query, may: (action) => can(role, action) }
}
