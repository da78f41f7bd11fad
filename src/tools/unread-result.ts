/** Replaces a response that could not be read. It is not recorded: the call's `result` is null then. */
export const unreadResult =
  'The call succeeded, but the response could not be read as a JSON object and was not kept. Do not repeat the call because of this.'
