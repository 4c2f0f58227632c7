//! Start, run, drain.

use std::{
    io::{self, Write},
    net::SocketAddr,
    num::NonZeroUsize,
    sync::{Arc, atomic::Ordering::Relaxed, mpsc},
    thread::{self, JoinHandle},
};

use deem_store::{MemoryStore, OpenError, Read, SqliteOptions, SqliteStore, Store};
use deem_sync::limits;
use tokio::{
    net::TcpListener,
    runtime,
    signal::unix::{SignalKind, signal},
    sync::{Notify, Semaphore, watch},
    task::LocalSet,
};

use crate::{
    Config, ExitReason, ServeError,
    identity::Identities,
    mailbox::Mailbox,
    messages::Message,
    metrics::Metrics,
    origin::Origins,
    shared::Shared,
    spaces::fill_random,
    turn::{LoopParts, SpaceLoop},
    web::Web,
    writer::{self, Stopped, Writer},
};

/// Loops beyond this have nothing to add: the number of a socket has eight bits for its loop.
const LOOPS_MAX: usize = 64;
/// Connections beside sockets: callers of HTTP, and handshakes. A socket leaves its place here to
/// the next caller, so that neither kind can take the places of the other.
const HTTP_CONNECTIONS_MAX: usize = 2_000;
/// Connections the kernel holds until they are accepted.
const BACKLOG: u32 = 1_024;

/// A relay that accepts connections, on threads of its own. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    shared: Arc<Shared>,
    writer: Arc<Writer>,
    stop: watch::Sender<bool>,
    acceptor: Option<JoinHandle<()>>,
    loops: Vec<JoinHandle<()>>,
    writer_thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Where it listens, with the port that was picked.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Reads the key file again (SIGHUP); on an error the old key stays.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn reload_key(&self) -> Result<(), ServeError> {
        self.shared.identities.reload()
    }

    /// Drains: no new sockets, commits finish, clients are told when to come back. Returns when
    /// everything is written and all threads have ended.
    pub fn stop(mut self) -> ExitReason {
        self.drain();
        ExitReason::Drained
    }

    fn drain(&mut self) {
        self.shared.draining.store(true, Relaxed);
        for mailbox in &self.shared.loops {
            mailbox.post(Message::Drain);
        }
        for thread in self.loops.drain(..) {
            let _ = thread.join();
        }
        // Last: until then a balancer that asks `/healthz` is told 503, not that nobody is here.
        self.stop.send_replace(true);
        if let Some(thread) = self.acceptor.take() {
            let _ = thread.join();
        }
        self.writer.close();
        if let Some(thread) = self.writer_thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.drain();
    }
}

/// Starts a relay and returns once it accepts connections. No signal is handled and nothing is
/// printed on stdout: that is [`serve`]'s.
///
/// # Errors
/// Why it cannot run; nothing was changed.
pub fn start(config: &Config) -> Result<Running, ServeError> {
    if config.dev && !config.listen.ip().is_loopback() {
        return Err(ServeError::DevNotLoopback(config.listen));
    }
    let identities = Identities::new(config.dev, config.auth_key.as_deref())?;
    let origins = Origins::new(&config.origins, config.dev)?;
    let web = config.web.as_deref().map(Web::new).transpose()?;
    // The port first: a second relay on it is told so, and not that the data folder is in use.
    let listener = listen(config.listen)?;
    let address = listener.local_addr().map_err(ServeError::System)?;
    let (store, synchronous) = open_store(config)?;
    let read_error = |error: deem_store::StoreError| ServeError::Store(error.to_string());
    let store_id = store.store_id().map_err(read_error)?;
    let count = config
        .loops
        .or_else(|| thread::available_parallelism().ok());
    let count = count.map_or(1, NonZeroUsize::get).min(LOOPS_MAX);
    let wakes: Vec<_> = (0..count).map(|_| Arc::new(Notify::new())).collect();
    let mailboxes: Vec<_> = wakes
        .iter()
        .map(|wake| Arc::new(Mailbox::new(Arc::clone(wake))))
        .collect();
    let readers = (0..count)
        .map(|_| store.reader())
        .collect::<Result<Vec<_>, _>>();
    let readers = readers.map_err(read_error)?;
    let metrics = Arc::new(Metrics::default());
    metrics.store_synchronous.store(synchronous, Relaxed);
    let stopped = Stopped::default();
    let shared = Shared::new(
        identities,
        origins,
        web,
        Arc::clone(&metrics),
        store_id,
        Arc::clone(&stopped),
        mailboxes,
    );
    let shared = Arc::new(shared.with_sockets(config.sockets_max));
    let writer = Arc::new(Writer::default());
    let writer_thread = writer::spawn(Arc::clone(&writer), store, metrics, stopped);
    let mut running = Running {
        address,
        shared: Arc::clone(&shared),
        writer: Arc::clone(&writer),
        stop: watch::Sender::new(false),
        acceptor: None,
        loops: Vec::new(),
        writer_thread: Some(writer_thread.map_err(ServeError::System)?),
    };
    for (index, (reader, wake)) in readers.into_iter().zip(wakes).enumerate() {
        let thread = start_loop(index, reader, wake, &writer, &shared)?;
        running.loops.push(thread);
    }
    let stop = running.stop.subscribe();
    running.acceptor = Some(start_acceptor(listener, shared, stop)?);
    Ok(running)
}

fn listen(address: SocketAddr) -> Result<std::net::TcpListener, ServeError> {
    let open = || -> io::Result<std::net::TcpListener> {
        let runtime = current_thread()?;
        let _inside = runtime.enter();
        let socket = match address {
            SocketAddr::V4(_) => tokio::net::TcpSocket::new_v4()?,
            SocketAddr::V6(_) => tokio::net::TcpSocket::new_v6()?,
        };
        // A restart takes its port again at once; a port that is listened on stays refused.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)?.into_std()
    };
    open().map_err(|error| ServeError::Listen(address, error))
}

/// The store, and how it syncs: `PRAGMA synchronous`, read back.
fn open_store(config: &Config) -> Result<(Box<dyn Store>, u64), ServeError> {
    let Some(folder) = &config.data else {
        let mut id = [0; 8];
        fill_random(&mut id);
        let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        return Ok((Box::new(MemoryStore::new(id)), 0));
    };
    let options = SqliteOptions::default();
    let opened = SqliteStore::open(folder, &options);
    let store = opened.map_err(|error: OpenError| ServeError::Store(error.to_string()))?;
    let synchronous = store
        .synchronous()
        .map_err(|error| ServeError::Store(error.to_string()))?;
    Ok((Box::new(store), u64::try_from(synchronous).unwrap_or(0)))
}

fn current_thread() -> io::Result<runtime::Runtime> {
    runtime::Builder::new_current_thread().enable_all().build()
}

fn start_loop(
    index: usize,
    reader: Box<dyn Read + Send>,
    wake: Arc<Notify>,
    writer: &Arc<Writer>,
    shared: &Arc<Shared>,
) -> Result<JoinHandle<()>, ServeError> {
    let (writer, shared) = (Arc::clone(writer), Arc::clone(shared));
    let runtime = current_thread().map_err(ServeError::System)?;
    let run = move || {
        let local = LocalSet::new();
        local.block_on(&runtime, async move {
            let mailbox = Arc::clone(&shared.loops[index]);
            let parts = LoopParts {
                index,
                wake,
                mailbox,
                reader,
                writer,
                shared,
            };
            SpaceLoop::new(parts).run().await;
        });
    };
    let builder = thread::Builder::new().name(format!("deem-loop-{index}"));
    builder.spawn(run).map_err(ServeError::System)
}

/// Accepts connections and deals them out to the loops in turn.
fn start_acceptor(
    listener: std::net::TcpListener,
    shared: Arc<Shared>,
    mut stop: watch::Receiver<bool>,
) -> Result<JoinHandle<()>, ServeError> {
    let runtime = current_thread().map_err(ServeError::System)?;
    let (ready, started) = mpsc::sync_channel(1);
    let accept = async move {
        let listener = match TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => {
                let _ = ready.send(Err(error));
                return;
            }
        };
        let _ = ready.send(Ok(()));
        let places = Arc::new(Semaphore::new(HTTP_CONNECTIONS_MAX));
        for index in (0..shared.loops.len()).cycle() {
            // The place first: past the limit connections wait in the kernel.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                return;
            };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stop.wait_for(|stopped| *stopped) => return,
            };
            match accepted.and_then(|(stream, _)| stream.into_std()) {
                Ok(stream) => shared.loops[index].post(Message::Tcp(stream, place)),
                // Out of file descriptors, or the peer left already: others may do better soon.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    eprintln!("deem: a connection could not be accepted: {error}");
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
            }
        }
    };
    let thread = thread::Builder::new()
        .name("deem-acceptor".into())
        .spawn(move || runtime.block_on(accept))
        .map_err(ServeError::System)?;
    match started.recv() {
        Ok(Ok(())) => Ok(thread),
        Ok(Err(error)) => Err(ServeError::System(error)),
        Err(_) => Err(ServeError::System(io::ErrorKind::Other.into())),
    }
}

/// Files beside connections: the store, its readers, the runtimes.
const OTHER_FILES: u64 = 256;

/// Raises the soft limit of open files, which is 1,024 on many systems, to what all connections
/// take. Says so where the hard limit is lower.
fn raise_file_limit() -> Option<String> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let connections = u64::try_from(limits::SOCKETS_MAX + HTTP_CONNECTIONS_MAX).unwrap_or(u64::MAX);
    let wanted = connections + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return None;
    }
    let granted = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
    limit.current = Some(granted);
    let raised = setrlimit(Resource::Nofile, limit).is_ok();
    (!raised || granted < wanted).then(|| {
        format!("this system allows {granted} open files, {wanted} are needed for all sockets")
    })
}

/// Runs a relay until SIGTERM or SIGINT, then drains it. Prints one line with its address on
/// stdout when it is ready; everything else it says goes to stderr. Blocks.
///
/// # Errors
/// Why it cannot run.
pub fn serve(config: &Config) -> Result<ExitReason, ServeError> {
    let runtime = current_thread().map_err(ServeError::System)?;
    let inside = runtime.enter();
    // Before anything listens, so that no signal finds the relay without a handler.
    let mut terminate = signal(SignalKind::terminate()).map_err(ServeError::System)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(ServeError::System)?;
    let mut hangup = signal(SignalKind::hangup()).map_err(ServeError::System)?;
    drop(inside);
    let running = start(config)?;
    if config.dev {
        eprintln!("deem: --dev: anybody on this machine may be anyone");
    }
    if let Some(short) = raise_file_limit() {
        eprintln!("deem: {short}");
    }
    let mut stdout = io::stdout();
    // Nobody may be reading: the relay serves all the same.
    let _ = writeln!(stdout, "deem relay at http://{}", running.address());
    let _ = stdout.flush();
    runtime.block_on(async {
        loop {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = interrupt.recv() => return,
                _ = hangup.recv() => match running.reload_key() {
                    Ok(()) => eprintln!("deem: the key was read again"),
                    Err(error) => eprintln!("deem: the old key stays: {error}"),
                },
            }
        }
    });
    eprintln!("deem: draining");
    Ok(running.stop())
}
