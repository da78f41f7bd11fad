/** What is said of an answer that could not be read. It is not recorded: the call's `result` is null then. */
export const unreadResult =
  'The site performed the call, but its answer is not a readable JSON object and was not kept. Do not repeat the call for this reason.'
