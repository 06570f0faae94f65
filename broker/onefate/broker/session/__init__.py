"""The machine: every decision about a session, as a synchronous function of a draft.

Theory of operation
1. A draft (`draft`) is one session's working copy: bounded sections (`state`), and history that is
   loaded when a decision asks for it (`history`). A command reads and writes the draft and returns
   its answer; nothing is touched until the draft's `Decision` is committed as a whole.
2. There is no I/O, clock or chance here, and no code of the app but what the map and `Code` hold:
   same snapshot, same `now`, same decision. A door that met a conflict simply decides again.
3. A fire is judged by the gates in order (`gates`, over `attempt`), recorded (`fire`, `rows`),
   and is open while its latch is. Whoever settles it first writes the receipt (`settle`, `life`);
   handlers, rejections and outside sources speak through `outcomes`, the app through `report`.
4. What authorises a fire: cards and grants (`cards`, `approval`, `verdict`), offers and
   acknowledgements (`offers`, `acknowledge`, `freshness`, `ledgers`, `staleness`), and that it is
   no repeat (`concurrency`).
5. Where a session stands and what it is made of: `motion`, `structure`, `registry`, `facts`,
   `frames`, `work`; what did not happen: `gaps`. What is read of it: `reads`.
6. `memory` keeps a whole session in a process: for tests, experiments, and as the oracle that a
   session on a server is held against.
"""
