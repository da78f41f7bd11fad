import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { Workspace } from '../workspaces/workspace.ts'
import type { Provider } from './provider.ts'
import { secretPlace, WorkspaceProvider } from './workspace-provider.ts'

/** All providers: the installation's by name, and workspaces' by the workspace's id. */
export function createProviders(context: { database: Database; config: Pick<Config, 'signIn'>; sealing: Sealing }) {
  const { database, sealing } = context
  const installed = context.config.signIn.providers.map(({ name, ...provider }): Provider => {
    return { ...provider, id: name, workspaceProviderId: null }
  })

  async function ofWorkspace(workspaceId: string): Promise<Provider | undefined> {
    const living = Workspace.query(database).whereNull('deletedAt').select('id')
    const row = await WorkspaceProvider.query(database).findOne({ workspaceId }).whereIn('workspaceId', living)
    if (!row) return undefined
    const { id, issuer, clientId } = row
    const clientSecret = sealing.open(row.clientSecret, secretPlace(id))
    return { id: workspaceId, title: new URL(issuer).host, issuer, clientId, clientSecret, workspaceProviderId: id }
  }

  return {
    installed: installed as readonly Provider[],

    /** The provider with this name, or of the workspace with this id. NOT_FOUND. */
    async find(id: string): Promise<Provider> {
      const found = isId(id) ? await ofWorkspace(id) : installed.find((one) => one.id === id)
      assertThat(found, 'NOT_FOUND', { message: 'This sign-in provider does not exist.' })
      return found
    },
  }
}

export type Providers = ReturnType<typeof createProviders>
