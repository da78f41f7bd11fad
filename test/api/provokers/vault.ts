import * as calls from '../../../api/calls.ts'
import * as vault from '../../../api/vault.ts'
import * as siteInspection from '../../../api/site-inspection.ts'
import type { Answer } from '../../helpers/client.ts'
import { connectBadTools, person } from '../../helpers/people.ts'
import { fillStore } from '../hoarder.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import { repeat, type Table } from './table.ts'

export function vaultTable({ platform, sites: given, origins, owner, params }: Stage, { ask }: Recorder): Table {
  const { entryId = '' } = params
  const inspect = (url: string) => ask(owner, siteInspection.inspectSite, { body: { url } })
  const connect = (url: string, someone = owner) =>
    ask(someone, vault.addToVault, { body: { url, token: 'any-token' } })
  const use = (toolName: string, body = {}) => ask(owner, vault.callTool, { params: { entryId, toolName }, body })
  const bySite = (reach: (url: string) => Promise<Answer<unknown>>) => ({
    INVALID_URL: () => reach('tracker.example.com'),
    MANIFEST_NOT_FOUND: () => reach(given.deadOrigin),
    MANIFEST_INVALID: () => reach(given.brokenManifest.origin),
  })
  return {
    inspectSite: { done: () => inspect(given.tracker.origin), ...bySite(inspect) },
    listVault: { done: () => ask(owner, vault.listVault) },
    addToVault: {
      done: () => connect(given.tracker.origin),
      ...bySite(connect),
      TOKEN_EXISTS: () => connect(given.badTools.origin),
      async VAULT_LIMIT_REACHED() {
        const someone = await person(platform)
        const all = [given.tracker.origin, ...origins, given.badTools.origin]
        return repeat(all.length, (index) => connect(all[index] ?? '', someone))
      },
    },
    getVaultEntry: { done: () => ask(owner, vault.getVaultEntry, { params: { entryId } }) },
    replaceVaultToken: {
      done: () => ask(owner, vault.replaceVaultToken, { params: { entryId }, body: { token: 'another-token' } }),
    },
    removeFromVault: {
      async done() {
        const someone = await person(platform)
        return ask(someone, vault.removeFromVault, { params: { entryId: await connectBadTools(someone, given) } })
      },
    },
    listTools: { done: () => ask(owner, vault.listTools, { params: { entryId } }) },
    listCalls: { done: () => ask(owner, calls.listCalls, { params: { entryId } }) },
    getCall: {
      async done() {
        const { body } = await use('echo_text', { text: 'hello' })
        return ask(owner, calls.getCall, { params: { entryId, callId: body.callId } })
      },
    },
    callTool: {
      done: () => use('echo_text', { text: 'hello' }),
      async FEATURE_LIMIT_REACHED() {
        const someone = await person(platform)
        const { body } = await connect(given.badTools.origin, someone)
        await fillStore(platform, someone, 256 * 1024 ** 2)
        return ask(someone, vault.callTool, {
          params: { entryId: body.id, toolName: 'echo_text' },
          body: { text: 'a' },
        })
      },
      async OUTGOING_RATE_LIMITED() {
        // A site of its own: after its 429 nobody calls it for a while.
        const someone = await person(platform)
        const { body } = await connect(origins[0] ?? '', someone)
        return ask(someone, vault.callTool, { params: { entryId: body.id, toolName: 'limit' }, body: {} })
      },
      SITE_UNAVAILABLE: () => use('flaky_read', { failures: 9, how: 'cut' }),
      TOOL_EXECUTION_ERROR: () => use('fail'),
    },
  }
}
