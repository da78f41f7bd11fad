/** The owner of what the platform does for itself, and its agent. It has no login, no account, and no place in lists. */
export const systemOwnerId = '00000000-0000-7000-8000-000000000001'
export const canaryAgentId = '00000000-0000-7000-8000-000000000002'

/** A model without a provider outside. Names in MODELS_FILE have no parentheses, and no agent of a user can have it. */
export const canaryModel = '(canary)'
