/** What is said of an answer that could not be read. It is not recorded: the call's `result` is null then. */
export const unreadResult =
  'The site carried out the call, but its answer is not a JSON object that can be read, and was not kept. Do not repeat the call because of that.'
