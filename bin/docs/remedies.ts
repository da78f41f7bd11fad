import type { ErrorCode } from '../../src/errors.ts'

/** What to do about an error whose own sentence does not say it, as Markdown for a page in docs/reference. */
export const remedies: Partial<Record<ErrorCode, string>> = {
  INVALID_TOKEN: 'Check that you sent the whole token, or [sign in again](../how-to/sign-in-and-api-keys.md).',
  ADMIN_REQUIRED: 'Ask a platform admin for access. [Accounts](../operate/accounts.md) explains how to become one.',
  NO_CREDITS: '[Buy credits](../how-to/caps-and-credits.md#buy-credits) or choose a higher tier.',
  TIER_REQUIRED: '[Change your tier](../how-to/caps-and-credits.md#change-your-tier).',
  FEATURE_LIMIT_REACHED: 'Delete something, or [change your tier](../how-to/caps-and-credits.md#change-your-tier).',
  WORKSPACE_REQUIRED: '[Change your tier](../how-to/caps-and-credits.md#change-your-tier).',
  SESSION_NOT_FOUND: 'Check the token, or create a new session with POST /sessions.',
  CHAT_TIMEOUT:
    'Send the message again, or ask for less. [Put a chat on a web page](../how-to/chat-page.md#what-to-know) has the limits.',
  STREAM_ABORTED:
    'Send the message again. To let answers continue, [open the session](../how-to/chat-page.md#the-server-opens-the-session) with `onDisconnect`.',
  MODEL_ERROR: 'Try again, or [set a fallback model](../how-to/models.md#when-a-model-fails).',
  TOOL_EXECUTION_ERROR: 'Check `outcome` [before you repeat the call](../how-to/idempotency.md#call-a-tool-once).',
  SITE_UNAVAILABLE: 'Try again later. If the site is yours, [check it](../sites/check.md).',
  VAULT_LIMIT_REACHED: 'Delete an entry, or [change your tier](../how-to/caps-and-credits.md#change-your-tier).',
  MANIFEST_NOT_FOUND: 'Check the address. If the site is yours, [publish a manifest](../sites/manifest.md).',
  MANIFEST_INVALID: 'Tell the site owner. If the site is yours, [check it](../sites/check.md).',
  AGENT_NOT_FOUND:
    'Check the id: GET /agents lists your agents. The agent may have been deleted, or it may be in [a workspace](../how-to/workspaces.md) that you are not a member of.',
  AGENT_LIMIT_REACHED: 'Delete an agent, or [change your tier](../how-to/caps-and-credits.md#change-your-tier).',
  RUN_NOT_FOUND:
    'Check the id: GET /runs lists your runs. The run may be in [a workspace](../how-to/workspaces.md) that you are not a member of.',
  RUN_NOT_CANCELLABLE:
    'There is nothing left to stop. [Pause the agent](../how-to/cancel-a-run.md#pause-an-agent) to prevent more runs.',
  AGENT_ALREADY_RUNNING: 'Wait until the run ends, or [cancel it](../how-to/cancel-a-run.md).',
  WEBHOOK_SECRET_INVALID: 'Check the secret, or [rotate it](../how-to/other-senders.md#rotate-the-webhook-secret).',
  WEBHOOK_PAYLOAD_INVALID:
    "Change the payload, or [the agent's](../start/first-webhook.md#2-create-the-agent) `webhookSchema`.",
  NOT_FOUND:
    'Check the path and the id. The resource may have been deleted, or it may be in [a workspace](../how-to/workspaces.md) that you are not a member of.',
  WORKSPACE_NOT_FOUND:
    'Check the id with GET /workspaces. You see only [workspaces that you are a member of](../how-to/workspaces.md).',
  PERMISSION_DENIED:
    'Use [a key with the scope](../how-to/sign-in-and-api-keys.md#make-an-api-key) that the operation needs, or ask [a workspace admin](../how-to/workspaces.md) for a higher role.',
  MEMBER_NOT_FOUND: 'List the members, or [invite the user](../how-to/workspaces.md#invite-a-member).',
}
