//! A reader that goes away does not end a command, and is not an error.

use std::{
    path::Path,
    process::{Command, Stdio},
};

#[test]
fn a_closed_pipe_is_no_panic() {
    let walks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/walks");
    let mut command = Command::new(env!("CARGO_BIN_EXE_sidle"));
    command.arg("replay").arg(&walks).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success(), "{}", output.status);
}
