import { meanings as agent } from '../schemas/agent-fields.ts'
import { exampleCall } from '../schemas/vault-schema.ts'
import { exampleIds } from '../schemas/example-ids.ts'

/**
 * Request examples by operation, where required members alone say too little. They refer to nothing that a reader may
 * not have, so most of them work unchanged. A test validates each one against its schema.
 */
export const requestExamples: Record<string, object> = {
  createAgent: {
    name: 'Triage',
    systemPrompt: agent.systemPrompt[1],
    trigger: 'webhook',
    webhookSchema: agent.webhookSchema[1],
    outputSchema: agent.outputSchema[1],
  },
  updateAgent: { systemPrompt: `${agent.systemPrompt[1]} Data loss is always urgent.` },
  startRun: { input: exampleCall.arguments },
  replayRun: { payload: { title: 'The export hangs', category: 'bug' } },
  cancelRuns: { filter: { status: 'queued' } },
  skipRuns: { filter: { status: 'queued' } },
  replayDeliveries: { reason: 'MODEL_ERROR', endedSince: '2026-11-21T09:00:00Z' },
  rotateSecret: { overlapSeconds: 3600 },
  createSession: { title: "This week's bugs", ttlSeconds: 3600 },
  sendChatMessage: { text: 'Which issues are open?' },
  createApiKey: { name: 'Nightly report', scopes: ['read'] },
  replaceVaultToken: { token: 'token-of-the-site', traceContext: true },
  changePassword: { currentPassword: 'correct horse battery', newPassword: 'a better horse battery' },
  refresh: { refreshToken: 'sy_refresh_an-example' },
  updateWorkspace: { name: 'Support', creditsPerMonth: 5000 },
  moveThings: { workspaceId: exampleIds.workspace, agentIds: [exampleIds.agent] },
  subscribe: { tier: 'pro' },
  giveTier: { limits: { agents: 10, tokensPerMonth: 1_000_000 } },
}
