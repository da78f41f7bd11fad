import { exampleIds } from '../schemas/example-ids.ts'

/**
 * Request examples by operation, where required members alone say too little. They refer to nothing that a reader may
 * not have, so most of them work unchanged. A test validates each one against its schema.
 */
export const requestExamples: Record<string, object> = {
  createAgent: {
    name: 'Triage',
    systemPrompt: 'Rate how urgent the reported problem is, and sum it up in one sentence.',
    trigger: 'webhook',
    webhookSchema: [{ name: 'title', type: 'string', required: true, description: 'Title of the report' }],
    outputSchema: {
      type: 'object',
      properties: { urgency: { enum: ['low', 'normal', 'high'] }, summary: { type: 'string' } },
      required: ['urgency', 'summary'],
    },
  },
  updateAgent: { systemPrompt: 'Rate how urgent the reported problem is. Data loss is always urgent.' },
  startRun: { input: { title: 'The export hangs at 99 %' } },
  replayDeliveries: { reason: 'MODEL_ERROR', endedSince: '2026-11-21T09:00:00Z' },
  rotateSecret: { overlapSeconds: 3600 },
  createSession: { title: "This week's bugs", ttlSeconds: 3600 },
  sendChatMessage: { text: 'Which issues are open?' },
  createApiKey: { name: 'Nightly report', scopes: ['read'] },
  changePassword: { currentPassword: 'correct horse battery staple', newPassword: 'a better horse battery staple' },
  refresh: { refreshToken: 'sy_refresh_an-example' },
  updateWorkspace: { name: 'Support', creditsPerMonth: 5000 },
  moveThings: { workspaceId: exampleIds.workspace, agentIds: [exampleIds.agent] },
  subscribe: { tier: 'pro' },
  giveTier: { limits: { agents: 10, tokensPerMonth: 1_000_000 } },
}
