/* Start-up gate: tickets with kernel locks, a short registry lock, blocking waits.
 * What is modelled and what is assumed: docs/gate-protocol.md, section 7. e2e/model runs all of this.
 *
 *   safety      spin -a gate-protocol.pml; cc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c; ./pan -m400000
 *   liveness    spin -a -DCYCLIC gate-protocol.pml; cc -O2 -DCOLLAPSE -o pan pan.c; ./pan -a -f -m400000 -N entry
 *   mutants     -DBUG_NOQ  -DBUG_NOWRECK  -DBUG_NOKEEPER  -DBUG_EDGE   (each must fail)
 * Defaults: 3 processes, 1 round, 1 kill (13 s, 8.8 M states).
 * Knobs: -DWHO=0|1|2 -DN=3|4 -DROUNDS=2 -DKILLS=0|2 -DYIELDS=1 -DFREEZE=1 -DPASS=1 -DSKIP=1 -DATOMICQ
 */
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef YIELDS
#define YIELDS 0
#endif
#ifndef FREEZE
#define FREEZE 0
#endif
#ifndef PASS
#define PASS 1          /* how often later arrivals may overtake one ticket */
#endif
#ifndef SKIP
#define SKIP 0          /* 1: a waiter ahead may be passed over at any time (frozen head of queue) */
#endif
#define NONE 7

/* Two domains (GPU 0 = bit 0, GPU 1 = bit 1). Process 1 takes both. */
byte dom[4]  = { 1, 3, 2, 1 };
byte prio[4] = { 0, 1, 2, 1 };

byte q = NONE;            /* registry lock: owner                                    */
bool alive[N];            /* ticket visible and its kernel lock held                  */
bool hold[N];             /* state written in the ticket                              */
bool wreck[N];            /* dead ticket in state "holding", left for the successor   */
bool eng[N];              /* engine tree alive inside its start window                */
bool late[N];             /* hold deadline passed (set by the environment)            */
byte ord[N]; byte cnt;    /* total order of live tickets, first = next                */
byte passed[N];
byte bl[N];               /* 1+blocker whose ticket lock this process sleeps on       */
byte kind[N];             /* 0 running, 1 front killed, 2 whole PID namespace killed  */
byte kills, yields, freezes;
bool inq[N], entered[N];

#define overlap(a,b) ((dom[a] & dom[b]) != 0)

inline drop(p) {          /* kernel: ticket lock freed; readers blocked on it wake    */
  d_step {
    if :: alive[p] ->
      alive[p] = false; passed[p] = 0;
      x = 0; do :: x < cnt && ord[x] != p -> x++ :: else -> break od;
      do :: x + 1 < cnt -> ord[x] = ord[x+1]; x++ :: else -> break od;
      cnt--; ord[cnt] = 0;
      x = 0;
#ifdef BUG_EDGE           /* edge-triggered wake: only those already asleep           */
      do :: x < N -> if :: bl[x] == p+1 && asleep[x] -> bl[x] = 0 :: else fi; x++
#else
      do :: x < N -> if :: bl[x] == p+1 -> bl[x] = 0 :: else fi; x++
#endif
         :: else -> break od
       :: else fi; x = 0 }
}
#ifdef BUG_EDGE
bool asleep[N];
#endif

inline publish(p) {       /* under the registry lock: rename of a locked file         */
  d_step {
    x = cnt;
    do :: x > 0 && prio[p] > prio[ord[x-1]] && passed[ord[x-1]] < PASS ->
            passed[ord[x-1]]++; ord[x] = ord[x-1]; x--
       :: else -> break od;
    ord[x] = p; cnt++; alive[p] = true; hold[p] = false; late[p] = false; x = 0 }
}

inline before(a,b,r) { x = 0; r = false;
  do :: x >= cnt -> break :: ord[x] == a -> r = true; break :: ord[x] == b -> break
     :: else -> x++ od; x = 0 }

inline check(p) { x = 0;
  do :: x < N -> assert(x == p || !eng[x] || !overlap(x,p) || late[x]); x++
     :: else -> break od; x = 0 }

inline scan(p) {          /* one candidate blocker: open its ticket, ask for its lock */
  if :: j != p && alive[j] && overlap(j,p) && !late[j] ->
        before(j,p,f);
        if :: hold[j] || (f && !pass) -> b = j; bl[p] = j+1 :: else fi; f = false
     :: else fi;
  j++ }

proctype Server(byte me) {
  byte j, b, x, rounds; bool f, pass;
up: skip;
  {
    skip;
again: skip;
#ifndef CYCLIC
    if :: rounds == ROUNDS -> goto fin :: else fi;
#endif
#if defined(CYCLIC) || defined(ATOMICQ)   /* critical sections as one step each */
    d_step { publish(me); inq[me] = true };
look: skip;
#if SKIP
    if :: pass = false :: pass = true fi;
#endif
    d_step { b = NONE; j = 0; do :: j < N -> scan(me) :: else -> break od; j = 0;
             if :: b == NONE -> hold[me] = true :: else fi };
#else
    d_step { q == NONE -> q = me }
    publish(me);
    inq[me] = true;
    q = NONE;
look: skip;
#if SKIP
    if :: pass = false :: pass = true fi;
#endif
    d_step { q == NONE -> q = me; b = NONE; j = 0 }
#ifdef BUG_NOQ
    q = NONE;
#endif
    do
    :: j < N -> d_step { scan(me) }
    :: else -> break
    od;
#endif
#if SKIP
    pass = false;
#endif
    if
    :: b != NONE ->
#if !defined(BUG_NOQ) && !defined(CYCLIC) && !defined(ATOMICQ)
       q = NONE;
#endif
#ifdef BUG_EDGE
       asleep[me] = true;
#endif
       d_step { (bl[me] == 0 || late[bl[me]-1]) -> bl[me] = 0; b = NONE; j = 0 }
#ifdef BUG_EDGE
       asleep[me] = false;
#endif
       goto look
    :: else ->
       hold[me] = true;               /* one pwrite into the own ticket */
       j = 0;
#if !defined(BUG_NOQ) && !defined(CYCLIC) && !defined(ATOMICQ)
       q = NONE
#else
       skip
#endif
    fi;
    /* granted */
    if
    :: yields < YIELDS -> yields++; hold[me] = false; drop(me); inq[me] = false; goto again
    :: true
    fi;
    j = 0;
    do
    :: j < N && wreck[j] && overlap(j,me) ->
#ifndef BUG_NOWRECK
       !eng[j];                       /* memory stable again */
#endif
       d_step { wreck[j] = false; j++ }
    :: j < N && !(wreck[j] && overlap(j,me)) -> j++
    :: j >= N -> break
    od;
    j = 0;
    d_step { if :: late[me] -> skip :: else -> eng[me] = true; check(me) fi }
    entered[me] = true;
    if
    :: freezes < FREEZE -> freezes++; late[me] = true; goto stuck
    :: true
    fi;
    d_step { eng[me] = false; entered[me] = false }   /* ready and settled */
    drop(me);                                         /* unlink, unlock */
    d_step { hold[me] = false; inq[me] = false;
#ifndef CYCLIC
             rounds++
#endif
           }
    goto again
  } unless { kind[me] != 0 };

  /* The kernel closes descriptors in any order. */
  if
  :: kind[me] == 2 || !hold[me] ->
     if
     :: d_step { if :: q == me -> q = NONE :: else fi };
        d_step { if :: hold[me] && alive[me] -> wreck[me] = true :: else fi }; drop(me)
     :: d_step { if :: hold[me] && alive[me] -> wreck[me] = true :: else fi }; drop(me);
        d_step { if :: q == me -> q = NONE :: else fi }
     fi;
     eng[me] = false                  /* torn down some time later */
  :: else ->
     d_step { if :: q == me -> q = NONE :: else fi };
#ifdef BUG_NOKEEPER
     drop(me); eng[me] = false
#else
     eng[me] = false; drop(me)        /* keeper ends and awaits the tree first */
#endif
  fi;
  d_step { hold[me] = false; bl[me] = 0; inq[me] = false; entered[me] = false; late[me] = false;
#ifdef BUG_EDGE
           asleep[me] = false;
#endif
           kind[me] = 0; j = 0; b = NONE }
  goto up;
stuck:
end_stuck: false;
fin: skip
}

proctype Killer() { byte v, w;
  do
  :: kills < KILLS ->
     if :: v = 0 :: v = 1 :: N > 2 -> v = 2 :: N > 3 -> v = 3 fi;
     if :: w = 1 :: w = 2 fi;
     d_step { kills++; if :: kind[v] == 0 -> kind[v] = w :: else fi }
  :: break
  od
}

init { byte i;
  atomic { i = 0; do :: i < N -> run Server(i); i++ :: else -> break od; if :: KILLS > 0 -> run Killer() :: else fi } }

#ifdef CYCLIC
/* every process that queues and is not killed while queued enters, whatever the others do */
#ifndef WHO
#define WHO 0
#endif
ltl entry { [] (inq[WHO] -> <> (entered[WHO] || !inq[WHO] || kind[WHO] != 0)) }
#endif
